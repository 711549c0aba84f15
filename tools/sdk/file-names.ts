/** `SupervisedFineTuningJob` is in `supervised-fine-tuning-job`. */
export const fileName = (kind: string): string => kind.replace(/(?!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase();

/** The page that describes a kind, from the root of the package. */
export const pagePath = (kind: string): string => `docs/resources/${fileName(kind)}.md`;
