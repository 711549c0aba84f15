/** Attacks that still succeed, by their names, with what is missing. */
const missing: Readonly<Record<string, readonly string[]>> = {
  "a scan refuses the list, and its text does not say why a collection was not read": [
    "`drift --stack-file prod.json --unmanaged --account acme` does not take over a member of a list that is another account's",
  ],
};

export const open: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(missing).flatMap(([reason, names]) => names.map((name) => [name, reason])),
);
