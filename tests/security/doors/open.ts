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
  "outputs follow links, and locks have no deadline": [
    "a baseline is not written for others to read",
    "with an empty XDG_STATE_HOME, a command puts nothing into the folder it is run in",
    "with a relative XDG_STATE_HOME, a command puts nothing into the folder it is run in",
    "with neither XDG_STATE_HOME nor a readable home, a command puts nothing into the folder it is run in",
    "with a home that is a file, a command puts nothing into the folder it is run in",
    "with an empty home, a command puts nothing into the folder it is run in",
    "a command ends although a link to where nothing is lies where it wants a lock",
    "a command ends although a lock of the year 2099 lies where it wants a lock",
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
