import type { FieldFact } from "./types";

/** What facts about a text say; the pattern has to match the whole of it. */
export type TextFact = Pick<FieldFact, "path" | "pattern" | "maxLength">;

export const fits = ({ pattern }: TextFact, text: string): boolean =>
  pattern === undefined || new RegExp(`^(?:${pattern})$`, "u").test(text);

const emoji = "\u{1F642}";

/** `text` with one of its characters repeated until it has `length` code points. */
function stretched(text: string, length: number): string[] {
  const characters = [...text];
  return characters.map((character, i) =>
    characters.with(i, character.repeat(Math.max(1, length - characters.length + 1))).join(""),
  );
}

/** Texts of `length` code points that break at most the limit of length; `example` breaks nothing. */
export function textsOfLength(fact: TextFact, length: number, example: string): string[] {
  const texts = ["x".repeat(length), emoji.repeat(length), ...stretched(example, length)]
    .filter((text) => [...text].length === length && fits(fact, text))
    .slice(0, 2);
  if (texts.length === 0)
    throw new Error(
      `no text of ${length} characters was found that fits the pattern of ${fact.path}: give it an example in valid.ts in which one character can be repeated`,
    );
  return texts;
}

const intruders = ["_", "-", "=", "/", " ", "\n", "é", emoji];

/** Texts that break the pattern and no other fact: `example`, which breaks nothing, with one character less or more. */
export function textsThatDoNotFit(fact: TextFact, example: string): string[] {
  const characters = [...example];
  const edited = [
    ...intruders.flatMap((intruder) => [intruder + example, example + intruder]),
    ...characters.map((_, i) => characters.toSpliced(i, 1).join("")),
  ];
  const texts = [...new Set(edited)].filter(
    (text) => text !== "" && [...text].length <= (fact.maxLength ?? Infinity) && !fits(fact, text),
  );
  if (texts.length === 0)
    throw new Error(`no text was found that breaks the pattern of ${fact.path}: give it another example in valid.ts`);
  return texts;
}
