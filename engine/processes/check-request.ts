/** What a program's process asks to be checked: a file that it has transpiled and not checked. One line of JSON. */
export interface CheckRequest {
  /** The compiler's main file. */
  compiler: string;
  /** Where the check keeps what it has found. */
  folder: string;
  /** The compiler's options, as `ts-node` has read them. */
  settings: object;
  /** What the program consists of so far. */
  files: readonly string[];
  file: string;
  /** As `look` sees the text that was transpiled. */
  text: string;
}

/** What the check answers to each request, in order: the errors as the compiler prints them, empty without any. */
export interface TypeAnswer {
  errors: string;
}

/** By which a check remembers that a file with this text was without errors. */
export const checkQuestion = ({ file, text, settings }: CheckRequest): unknown[] => ["checked", file, text, settings];
