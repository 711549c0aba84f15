import { distance } from "fastest-levenshtein";

/**
 * The one of `known` that `input` is most likely a misspelling of, or undefined if none is near. Letter case, `-` and
 * `_` do not count; words of fewer than five letters are near only if nothing else differs, since any two of them
 * almost are.
 */
export function closest(input: string, known: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[-_]/g, "");
  const [best] = known
    .map((word) => ({ word, far: distance(plain(input), plain(word)) }))
    .sort((a, b) => a.far - b.far);
  return best !== undefined && best.far <= (best.word.length < 5 ? 0 : Math.max(1, Math.floor(best.word.length / 5)))
    ? best.word
    : undefined;
}

/**
 * What `input` is a misspelling of, if that is sure enough to refuse it. Names that differ in digits only, such as
 * `US_OHIO_2` from `US_OHIO_1`, are of one family: the other one may be newer than this provider (A002).
 */
export function likelyTypoOf(input: string, known: readonly string[]): string | undefined {
  const near = closest(input, known);
  const withoutDigits = (text: string) => text.replace(/\d+/g, "#");
  return near === undefined || (input !== near && withoutDigits(input) === withoutDigits(near)) ? undefined : near;
}

/**
 * What `input`, which is wrong in any case, may be a misspelling of, or another word for. A hint may be bolder than a
 * judgement: two letters may be swapped, of short words one may differ, and a name may lack some of its words.
 */
export function hint(input: string, known: readonly string[]): string | undefined {
  return nearIn(input, known) ?? onlyElement(likeNamed(input, known));
}

/** The end of a sentence about `input`. */
export function didYouMean(input: string, known: readonly string[]): string {
  const near = nearIn(input, known);
  const meant = near === undefined ? likeNamed(input, known) : [near];
  const shown = meant.slice(0, 3).map((name) => `\`${name}\``);
  if (meant.length > mostLikeNamed) return `; did you mean one of ${shown.join(", ")}${meant.length > 3 ? ", …" : ""}?`;
  return shown.length === 0 ? "" : `; did you mean ${shown.join(" or ")}?`;
}

function nearIn(input: string, known: readonly string[]): string | undefined {
  const letters = (word: string): string => [...word.toLowerCase()].sort().join("");
  const isNear = (word: string): boolean => {
    const far = distance(input.toLowerCase(), word.toLowerCase());
    return word.length > 2 && ((far === 1 && word.length < 5) || (far <= 2 && letters(input) === letters(word)));
  };
  return closest(input, known) ?? known.find(isNear);
}

const onlyElement = (names: readonly string[]): string | undefined => (names.length === 1 ? names[0] : undefined);

/** Words that mean the same in names of fields and settings. */
const synonyms: Readonly<Record<string, string>> = {
  ...{ gpu: "accelerator", gpus: "accelerator", hardware: "accelerator" },
  ...{ token: "key", uri: "url", endpoint: "url", host: "url" },
  ...{ mail: "email", org: "account", organization: "account", tenant: "account" },
  ...{ minimum: "min", maximum: "max", num: "count", number: "count", size: "count" },
  ...{ labels: "annotation", tags: "annotation", data: "dataset", llm: "model" },
  ...{ lora: "peft", qlora: "peft", adapter: "addon" },
  ...{ eu: "europe", emea: "europe", european: "europe", usa: "us", america: "us" },
  ...{ ap: "apac", asia: "apac", pacific: "apac", na: "canada" },
};

/** Names of other tools for what has a name without a word. */
const otherNames: Readonly<Record<string, string>> = { rank: "r", loraRank: "r", lora_rank: "r" };

/** More than two are no hint. */
const mostLikeNamed = 2;

/**
 * Names that have every word of `input` and the fewest others: `maxReplicas` is like `maxReplicaCount`, `url` like
 * `baseUrl`. Where there is none, names that `input` says with more words: "deploymentName" is like `deployment`.
 */
function likeNamed(input: string, known: readonly string[]): string[] {
  const words = wordsIn(input);
  const other = otherNames[input];
  if (other !== undefined && known.includes(other)) return [other];
  if (words.length === 0) return [];
  const longer = leastApart(known.flatMap((name) => apart(name, wordsIn(name), words)));
  // Values such as `US_OHIO_1` are of one family: a shorter one is not a better name for them.
  const isName = known.every((name) => /^[a-z][A-Za-z]*$/.test(name));
  const meant =
    longer.length > 0 || !isName ? longer : leastApart(known.flatMap((name) => apart(name, words, wordsIn(name))));
  if (isName) return meant.length <= mostLikeNamed ? meant : [];
  return [meant, beginningLike(input, known), sharingFirst(words, known)].find((each) => each.length > 0) ?? [];
}

/** Values of which one begins as the other: "administrator" is like `admin`. */
const beginningLike = (input: string, known: readonly string[]): string[] =>
  known.filter(
    (value) => Math.min(value.length, input.length) > 3 && (input.startsWith(value) || value.startsWith(input)),
  );

/** Values with the first word of the input: "eu-west-1" is like `EU_FRANKFURT_1`. What all have says nothing. */
function sharingFirst([first]: readonly string[], known: readonly string[]): string[] {
  const alike = known.filter((value) => {
    const [own, ...others] = wordsIn(value);
    return own === first && others.length > 0;
  });
  return alike.length < known.length ? alike : [];
}

/** How many words of `all` are not among `some`; nothing unless `all` has each of `some`. */
function apart(name: string, all: readonly string[], some: readonly string[]): { name: string; words: number }[] {
  const covers = some.length > 0 && some.every((word) => all.includes(word));
  return covers ? [{ name, words: all.length - some.length }] : [];
}

function leastApart(names: readonly { name: string; words: number }[]): string[] {
  const least = Math.min(...names.map(({ words }) => words));
  return names.filter(({ words }) => words === least).map(({ name }) => name);
}

const wordsIn = (name: string): string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word.length > 1)
    .map((word) => synonyms[word] ?? word.replace(/(?<=[a-z]{3})s$/, ""))
    .map((word) => synonyms[word] ?? word);
