/**
 * A command for a POSIX shell, in which no word is more than a word. `variables`: what the command alone finds in its
 * environment.
 */
export const commandLine = (words: readonly string[], variables: Readonly<Record<string, string>> = {}): string =>
  [...Object.entries(variables).map(([name, value]) => `${name}=${quoted(value)}`), ...words.map(quoted)].join(" ");

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
