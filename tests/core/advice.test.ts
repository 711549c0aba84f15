import { readFileSync } from "node:fs";
import { join } from "node:path";
import { errorTopics, linkTo, ModelPlatformError } from "../../provider/core/errors";
import { advices, type ErrorText, hole, plainMessages, topicsInSources } from "./error-texts";

/** A name or a number that is filled in has about this many characters. */
const nominal = "deployment-1";
const longest = 150;

const shown = ({ text }: ErrorText): string => text.replaceAll(hole, nominal);
/** A text with whole commands, which are filled in: a sentence for each way out. */
const hasCommands = ({ text }: ErrorText): boolean => text.includes(`\`${hole} ${hole}\``);
const longestWithCommands = 260;
/** What follows a command with a name that cannot be copied; few names are such, and the text says why it has a gap. */
const ofGap = / \(`[^`]*` is a name with characters that cannot be copied from here\)/g;
const isTooLong = (said: ErrorText): boolean =>
  shown(said).replace(ofGap, "").length > (hasCommands(said) ? longestWithCommands : longest);

/** Ends of sentences before the last one; what stands in backquotes is no prose. */
const sentencesIn = (text: string): number =>
  text
    .replace(/`[^`]*`/g, "code")
    .replace(/[.!]+$/, "")
    .split(/[.!] /).length;

const told = (texts: readonly ErrorText[]): string[] => texts.map((said) => `${said.at} ${shown(said)}`);

/** Of a message without a member for advice: what follows the sentence that says what is wrong. */
const stepsOf = (message: ErrorText): ErrorText[] => {
  const text = message.text.replace(/`[^`]*`/g, (code) => code.replaceAll(". ", "._"));
  const end = text.search(/[.?] [A-Z`]|\n[A-Z`]/);
  return end < 0
    ? []
    : [
        {
          at: message.at,
          text: text
            .slice(end + 1)
            .trim()
            .replace(/^Did you mean [^?]*\? /, ""),
        },
      ];
};

describe("what an error says to do", () => {
  const said = advices();
  const steps = plainMessages().flatMap(stepsOf);

  test("is found in the sources of every layer that has errors", () => {
    const layers = new Set(
      [...said, ...steps].map(({ at }) =>
        at
          .split("/")
          .slice(0, at.startsWith("provider/") || at.startsWith("engine/state/") ? 2 : 1)
          .join("/"),
      ),
    );
    expect([...layers]).toEqual(
      expect.arrayContaining([
        "provider/api",
        "cli",
        "provider/core",
        "drift",
        "engine",
        "provider/lifecycle",
        "engine/state",
      ]),
    );
    expect(said.length).toBeGreaterThan(200);
    expect(steps.length).toBeGreaterThan(80);
  });

  test("has at most 150 characters, or 260 with the commands of each way out", () => {
    expect(told([...said, ...steps].filter(isTooLong))).toEqual([]);
  });

  test("is one step in one sentence, or a sentence for each way out with its commands", () => {
    const most = (each: ErrorText): number => (hasCommands(each) ? 3 : 1);
    expect(told([...said, ...steps].filter((each) => sentencesIn(each.text) > most(each)))).toEqual([]);
  });
});

describe("the links of errors", () => {
  const page = readFileSync(join(__dirname, "../../docs/errors.md"), "utf8");
  const headings = [...page.matchAll(/^## (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-"),
  );

  test("lead to the headings of docs/errors.md, each to one, and every heading is linked", () => {
    expect(headings).toEqual([...errorTopics, "codes"]);
  });

  test("are each given by an error", () => {
    const given = topicsInSources();
    expect(errorTopics.filter((topic) => !given.has(topic))).toEqual([]);
  });

  test("come from one function", () => {
    const sources = advices().filter(({ text }) => /docs\/|\.md\b/.test(text));
    expect(told([...sources, ...plainMessages().filter(({ text }) => /docs\/|\.md\b/.test(text))])).toEqual([]);
  });

  test("end the message, apart from the advice", () => {
    const error = new ModelPlatformError("failed", { advice: "Try again.", topic: "no-connection" });
    expect(error).toMatchObject({ advice: "Try again.", help: linkTo("no-connection") });
    expect(error.message).toBe("failed. Try again. See pulumi-modelplatform/docs/errors.md#no-connection");
  });
});
