/** Attacks that still succeed, by their names, with what is missing. */
const missing: Readonly<Record<string, readonly string[]>> = {
  "programs are looked up, and run, in the checkout": [
    '`doctor` runs nothing of the checkout where PATH begins with ""',
    '`drift --stack acme/shop/dev` runs nothing of the checkout where PATH begins with ""',
    '`doctor` runs nothing of the checkout where PATH begins with "."',
    '`drift --stack acme/shop/dev` runs nothing of the checkout where PATH begins with "."',
    '`doctor` runs nothing of the checkout where PATH begins with "./node_modules/.bin"',
    '`drift --stack acme/shop/dev` runs nothing of the checkout where PATH begins with "./node_modules/.bin"',
    '`doctor` runs nothing of the checkout where PATH begins with "bin"',
    '`drift --stack acme/shop/dev` runs nothing of the checkout where PATH begins with "bin"',
    "`drift --stack acme/shop/dev` in the checkout hands the Pulumi token to no address of the checkout",
    "`drift --stack acme/shop/dev` in a folder below it hands the Pulumi token to no address of the checkout",
    "`drift --stack acme/shop/dev` in a folder that is a project as well hands the Pulumi token to no address of the checkout",
    "`codify --stack acme/shop/dev` in the checkout hands the Pulumi token to no address of the checkout",
    "`codify --stack acme/shop/dev` in a folder below it hands the Pulumi token to no address of the checkout",
    "`codify --stack acme/shop/dev` in a folder that is a project as well hands the Pulumi token to no address of the checkout",
  ],
  "baselines keep open rights, and an edit follows a link": [
    "a baseline is not written for others to read",
    "an edit of a config that is a link out of the project leaves what it leads to",
  ],
  "a scan refuses the list, and its text does not say why a collection was not read": [
    "`drift --stack-file prod.json --unmanaged --account acme` does not take over a member of a list that is another account's",
  ],
  "one job runs the code and holds the token": [
    "the job preview/preview on GitHub runs no code of a pull request with a token that can write to the conversation",
    "a comment on GitHub whose preview is a link to the environment shows no secret and ends",
    "a comment on GitHub whose preview is a link to a file of the runner shows no secret and ends",
    "a comment on GitHub whose preview is a pipe shows no secret and ends",
    "a comment on GitLab whose preview is a link to the environment shows no secret and ends",
    "a comment on GitLab whose preview is a link to a file of the runner shows no secret and ends",
    "a comment on GitLab whose preview is a pipe shows no secret and ends",
  ],
};

export const open: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(missing).flatMap(([reason, names]) => names.map((name) => [name, reason])),
);
