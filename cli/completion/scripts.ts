import type { CompletionNode, Flag } from "./tree";

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const words = (place: CompletionNode): string[] => [
  ...place.commands.map(({ name }) => name),
  ...place.flags.flatMap(({ names }) => names.filter((name) => name.startsWith("--"))),
];
const keys = (place: CompletionNode, flags: readonly Flag[]): string[] =>
  flags.flatMap(({ names }) => names.map((name) => quoted(`${place.path} ${name}`)));

/** A case of a shell for each of `places` that has something there. */
const cases = (
  places: readonly CompletionNode[],
  of: (place: CompletionNode) => readonly string[],
  act: (place: CompletionNode) => string,
): string =>
  places
    .flatMap((place) => (of(place).length === 0 ? [] : [`      ${of(place).join("|")}) ${act(place)} ;;`]))
    .join("\n");

/** For bash, and for zsh by its own bashcompinit. Where nothing is known, the shell completes files. */
export function bashScript(places: readonly CompletionNode[], names: readonly string[]): string {
  const valued = (place: CompletionNode) => place.flags.filter(({ takesValue }) => takesValue);
  const chosen = places.flatMap((place) =>
    place.flags.filter(({ choices }) => choices.length > 0).map((flag) => ({ place, flag })),
  );
  return `_pulumi_modelplatform() {
  local word current="\${COMP_WORDS[COMP_CWORD]}" at="" before="" known="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if [[ -n $before ]]; then before=""; continue; fi
    case "$at $word" in
${cases(
  places,
  (place) => keys(place, valued(place)),
  () => 'before="$at $word"',
)}
${cases(
  places,
  (place) => place.commands.map(({ name }) => quoted(`${place.path} ${name}`)),
  () => `at="\${at:+$at }$word"`,
)}
    esac
  done
  COMPREPLY=()
  if [[ -n $before ]]; then
    case "$before" in
${chosen.map(({ place, flag }) => `      ${keys(place, [flag]).join("|")}) known=${quoted(flag.choices.join(" "))} ;;`).join("\n")}
      *) return ;;
    esac
  else
    case "$at" in
${cases(
  places,
  (place) => [quoted(place.path)],
  (place) => `known=${quoted(words(place).join(" "))}`,
)}
    esac
  fi
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$known" -- "$current")
}
complete -o default -F _pulumi_modelplatform ${names.join(" ")}
`;
}

export const zshScript = (places: readonly CompletionNode[], names: readonly string[]): string =>
  `autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${bashScript(places, names)}`;

/** A function tells fish the words of the command that is being typed, flags and their values left out. */
export function fishScript(places: readonly CompletionNode[], names: readonly string[]): string {
  const valued = [
    ...new Set(
      places.flatMap(({ flags }) => flags.filter(({ takesValue }) => takesValue).flatMap((flag) => flag.names)),
    ),
  ];
  const lines = names.flatMap((name) => places.flatMap((place) => fishLines(name, place)));
  return `function __pulumi_modelplatform_at
    set -l at
    set -l skip 0
    for word in (commandline -opc)[2..]
        if test $skip = 1
            set skip 0
        else if contains -- $word ${valued.join(" ")}
            set skip 1
        else if not string match -q -- '-*' $word
            set at $at $word
        end
    end
    test "$at" = "$argv[1]"
end
${lines.join("\n")}
`;
}

function fishLines(name: string, { path, commands, flags }: CompletionNode): string[] {
  const at = `complete -c ${name} -n ${quoted(`__pulumi_modelplatform_at ${quoted(path)}`)}`;
  const described = (text: string): string => (text === "" ? "" : ` -d ${quoted(text)}`);
  const named = (flag: string): string => (flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`);
  return [
    ...commands.map((each) => `${at} -f -a ${quoted(each.name)}${described(each.description)}`),
    ...flags.map(
      (flag) =>
        `${at} ${flag.names.map(named).join(" ")}${flag.takesValue ? " -r" : ""}${flag.choices.length > 0 ? ` -f -a ${quoted(flag.choices.join(" "))}` : ""}${described(flag.description)}`,
    ),
  ];
}
