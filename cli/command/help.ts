/** For `addHelpText("after", …)`: how the command is called, one call per line. */
export const example = (...lines: string[]): string => `\nExample:\n${lines.map((line) => `  $ ${line}`).join("\n")}\n`;

export const stackFlag = ["-s, --stack <name>", "the stack (default: the selected one, or the only one)"] as const;
export const jsonFlag = ["-j, --json", "print JSON"] as const;
export const yesFlag = ["-y, --yes", "do not ask"] as const;
