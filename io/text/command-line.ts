/** A command for a POSIX shell, with its words quoted. `variables`: the environment of this command alone. */
export const commandLine = (words: readonly string[], variables: Readonly<Record<string, string>> = {}): string =>
  [...Object.entries(variables).map(([name, value]) => `${name}=${quote(value)}`), ...words.map(quote)].join(" ");

const quote = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
