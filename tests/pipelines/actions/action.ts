/** The inputs of a step that uses an action. */
export type Given = Readonly<Record<string, string>>;

/** Where an action runs, and what it may do. */
export interface ActionContext {
  cwd: string;
  permissions: Readonly<Record<string, string>>;
  environment: string;
  /** What the job's next steps have in their environment. */
  env: Record<string, string>;
  hasFailed: boolean;
}

/** The action fails its step. */
export class ActionFailure extends Error {}

/** Throws where a step gives an input that the stand-in does not know: it would be played wrongly. */
export function expectInputs(given: Given, ...known: readonly string[]): void {
  const others = Object.keys(given).filter((name) => !known.includes(name));
  if (others.length > 0) throw new Error(`the stand-in does not know the input ${others.join(", ")}`);
}
