#!/bin/sh
# A bot in shell: takes the first legal action of any game.
#
#     python -m eval.tournament --game tongits --agents random "process:sh first.sh"

while read -r line; do
    case $line in
        *'"legal":[{"id":'*)
            rest=${line#*'"legal":[{"id":'}
            echo "{\"action\": ${rest%%,*}}"
            ;;
    esac
done
