/**
 * The text with its ASCII letters in lower case. A comparison that gives authority (a list of who may, whose an object
 * is) folds by this alone: to wider foldings, letters that others can choose are equal, such as the Kelvin sign and a
 * `k`.
 */
export const foldAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
