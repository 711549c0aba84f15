import { data, Evaluator, Lexer, Parser } from "@actions/expressions";

/** What `${{ … }}` can refer to, by the name of the context. */
export type Contexts = Readonly<Record<string, unknown>>;

/** How the jobs or steps before have ended. */
export interface Status {
  hasFailed: boolean;
  isSkipped?: boolean;
}

/** The value of an expression, as GitHub's own implementation evaluates it. */
function valueOf(expression: string, contexts: Contexts, { hasFailed, isSkipped = false }: Status): unknown {
  const answers = { success: !hasFailed && !isSkipped, failure: hasFailed, always: true, cancelled: false };
  const functions = Object.entries(answers).map(([name, answer]) => ({
    ...{ name, minArgs: 0, maxArgs: 0 },
    call: () => new data.BooleanData(answer),
  }));
  const { tokens } = new Lexer(expression).lex();
  const tree = new Parser(tokens, Object.keys(contexts), functions).parse();
  const known = new Map(functions.map((each) => [each.name, each]));
  const dictionary = JSON.parse(JSON.stringify(contexts), data.reviver) as data.Dictionary;
  const found = new Evaluator(tree, dictionary, known).evaluate();
  return JSON.parse(JSON.stringify(found, data.replacer)) as unknown;
}

const whole = /^\$\{\{((?:(?!\}\}).)*)\}\}$/s;
const well: Status = { hasFailed: false };

/** A value of a workflow with its expressions evaluated; one that is nothing but an expression keeps its type. */
export function filled(value: unknown, contexts: Contexts): unknown {
  if (typeof value !== "string") return value;
  const [, only] = whole.exec(value.trim()) ?? [];
  if (only !== undefined) return valueOf(only, contexts, well);
  return value.replace(/\$\{\{(.*?)\}\}/g, (_, expression: string) => textIn(valueOf(expression, contexts, well)));
}

const textIn = (value: unknown): string => (value === null || value === undefined ? "" : String(value));

export const filledText = (value: unknown, contexts: Contexts): string => textIn(filled(value, contexts));

export const filledAll = (
  values: Readonly<Record<string, unknown>> | undefined,
  contexts: Contexts,
): Record<string, string> =>
  Object.fromEntries(Object.entries(values ?? {}).map(([name, value]) => [name, filledText(value, contexts)]));

/** Whether an `if` lets a job or step run; one that asks for no status asks for success. */
export function isDue(condition: string | undefined, contexts: Contexts, status: Status): boolean {
  const bare = condition === undefined ? "success()" : (whole.exec(condition.trim())?.[1] ?? condition);
  const asks = /\b(success|failure|always|cancelled)\(\)/.test(bare);
  const value = valueOf(asks ? bare : `success() && (${bare})`, contexts, status);
  return value !== false && value !== null && value !== "" && value !== 0;
}
