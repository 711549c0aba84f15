/** A file below `tests`, and the title of a test or probe in it; `…` stands for what a title computes. */
export type Holder = readonly [file: string, title: string];

const service = "security/hostile-service.test.ts";
const neighbor = "security/hostile-neighbour.test.ts";
const text = "security/hostile-text.test.ts";

/** Each sentence under "Guarantees" in docs/security.md, line breaks aside, with the tests that hold it. */
export const promises: readonly (readonly [sentence: string, ...Holder[]])[] = [
  [
    `A key leaves only in the \`Authorization\` header of requests to its own base URL: https, or http on this
    machine.`,
    ["api/base-url.test.ts", "%j is refused as a base URL"],
    ["api/client.test.ts", "a key with a base URL of its own is sent there only"],
    ["api/config.test.ts", "a key with a base URL of its own goes nowhere else"],
  ],
  [
    `Redirects are not followed, and no loopback address is reached through a proxy, however it is spelt.`,
    [service, "redirect … takes no key anywhere"],
    [service, "a key for http://… does not go to the proxy"],
  ],
  [
    `A checkout chooses nothing for a command that does not run it, unless you say \`--trust-project\`: [what
    each command takes from where](#commands-that-run-in-a-checkout).`,
    ["security/checkout.test.ts", "%s sends, runs and writes nothing that a checkout names"],
    ["security/checkout.test.ts", "what the table grants to a trusted project is taken from it"],
  ],
  [
    `A \`Pulumi.yaml\` in a folder above the one of work is refused if it or its folder belongs to another user, who is
    neither root nor the caller of \`sudo\`: work in its folder, \`-C <folder>\`, or say \`--trust-project\`.`,
    ["state/foreign-project.test.ts", "is refused where %s belongs to another user"],
    ["state/foreign-project.test.ts", "is taken where it belongs to %s"],
    ["state/foreign-project.test.ts", "%s refuses it, and takes it with --trust-project and -C"],
  ],
  [
    `\`Pulumi.yaml\` and \`Pulumi.<stack>.yaml\` are not read behind a link of the checkout that leads out of it.`,
    ["security/linked-settings.test.ts", "%s is refused by its path, and shows nothing"],
    ["security/linked-settings.test.ts", "a folder of configs that is a link out of the checkout is refused"],
  ],
  [
    `\`refresh\` and \`destroy\` of the built-in engine run no code of the project for this package's resources:
    neither the text that the state holds as their provider, nor the project's copy of this package, nor a
    plugin that its \`Pulumi.yaml\` names.`,
    ["security/door-engine.test.ts", "`…` starts nothing that the state says of …"],
    ["security/door-engine.test.ts", "`…` starts nothing of a checkout that has …"],
  ],
  [
    `They do read the project's settings, \`keyCommand\` among them.`,
    ["api/config.test.ts", "the stack's config is read for %s"],
  ],
  [
    `A program or a stack config may name the base URL of a run.`,
    ["api/warnings.test.ts", "a key of the environment that goes where %s says is reported once per address"],
  ],
  [
    `Where the key is the environment's, the run says once where it is sent.`,
    ["api/warnings.test.ts", "a key of the environment that goes where %s says is reported once per address"],
  ],
  [
    `\`--notify\` takes the address of a webhook from the command line alone, posts to https or this machine only,
    follows no redirect, and shows no more of the address than its host.`,
    ["drift/notify/webhook.test.ts", "%s is no address of a webhook"],
    ["drift/notify/webhook.test.ts", "%s ends in one error, after as many tries as help"],
    ["drift/notify/webhook.test.ts", "no error shows the path or the query of the address"],
    ["security/checkout.test.ts", "%s sends, runs and writes nothing that a checkout names"],
  ],
  [
    `A state moves only reads, and only within the account and the base URL that you gave.`,
    ["cli/recorded-settings.test.ts", "it cannot have reads go to %s"],
    ["cli/recorded-settings.test.ts", "it cannot move a write"],
  ],
  [
    `Its dialect is not taken without \`--trust-project\`.`,
    ["cli/recorded-settings.test.ts", "a dialect of the stack's config alone makes no drift: other scans are refused"],
  ],
  [
    `What was recorded at one base URL, its path included, is not looked for at another without
    \`modelplatform:allowEndpointChange\`.`,
    [service, "what was recorded at … is not looked for at …"],
    ["lifecycle/endpoint.test.ts", "a program may say that the service has moved"],
  ],
  [
    `An answer is about objects of the kind and account that were asked for, or it is refused: the service of one
    account cannot have another account's objects changed or deleted with that account's key.`,
    ["security/door-names.test.ts", "… as the name in … is refused, and the operation is named"],
    ["security/foreign-names.test.ts", "destroying a host unloads no guest that its list claims is another account's"],
    ["security/foreign-names.test.ts", "adopting a user by its email changes no user of another account"],
  ],
  [
    `Only models, shapes and datasets, which may be public, are referred to across accounts.`,
    ["api/answers.test.ts", "a %s must not refer to another account by %j"],
    ["security/door-names.test.ts", "a public model of another account is read by its name"],
  ],
  [
    `Nothing is written about a name outside the account of the resource.`,
    ["security/foreign-names.test.ts", "a state whose name is another account's is no reason to %s there"],
    ["security/door-life-cycles.test.ts", "a refresh that is answered with … name does not move the state there"],
  ],
  [`Files of a model go to https addresses.`, [service, "no file is sent to …"]],
  [
    `An address on this machine is used only where the service is on this machine too.`,
    [service, "a service elsewhere gets no file sent to …"],
  ],
  [
    `Known secrets are masked in every output and error: as they are, in any case, in base64 and hexadecimal with or
    without separators, as a list of bytes, and escaped for JSON, HTML, URLs and mail, also several times over and where
    only some letters are escaped.`,
    ["core/redact.test.ts", "a known secret is masked %s"],
    ["masking/masking.property.test.ts", "a credential %s shows no run wherever it is cut"],
    ["security/canary.test.ts", "%s is neither thrown nor logged nor traced"],
  ],
  [
    `So is each line of a secret from eight letters, and any run of a third of it, but of no fewer than 12 letters and
    of every 64.`,
    ["core/redact.test.ts", "of a secret of several lines each longer line is masked, and its form in JSON"],
    ["core/redact.test.ts", "a text shows no 12 letters of a short secret wherever it is cut"],
    ["masking/masking.property.test.ts", "a credential %s shows no run wherever it is cut"],
    ["security/canary.test.ts", "a key that the service cuts itself is masked from 12 letters on"],
  ],
  [
    `Headers and refusals of a service are masked before they are read, cut or traced.`,
    ["security/door-redaction.test.ts", "a key that comes back in the header … is neither printed nor traced"],
    ["security/door-redaction.test.ts", "a text cut after … characters shows no part of a key across the cut"],
  ],
  [
    `Masked as well are bearer tokens, passwords in URLs, and queries that carry a signature, a token, a key or an upload
    id.`,
    ["core/redact.test.ts", "%j is shown as %j"],
    [service, "an address whose query has … is shown without its query"],
  ],
  [
    `A property that is secret by its kind, by its mark or by what it was computed from shows as \`[secret]\` in
    previews, whatever its value is.`,
    ["engine/values.test.ts", "leave out what only became secret, and mask the contents of secrets"],
    [
      "engine/display/json-lines.test.ts",
      "a step's states show no secret, no unknown in its wire form and nothing hidden",
    ],
    ["pulumi/dynamic.test.ts", "inputs that hold a secret are secrets whatever the program makes of them"],
  ],
  [
    `In other properties a known secret is masked too, except where the property is a single word such as
    \`admin\` or \`READ_ONLY\` (letters only, joined by \`-\` or \`_\`, at most 14 characters), or the secret is
    such a word of fewer than 8 characters.`,
    ["engine/known-secrets.test.ts", "a property that is not secret does not show %s"],
    ["engine/known-secrets.test.ts", "a property that is not secret shows %s, although a secret is the same word"],
  ],
  [
    `A secret that is the same word as a role would otherwise hide every change of roles, and a role shown as
    \`[secret]\` would give the secret away.`,
    ["engine/known-secrets.test.ts", "a property that is not secret shows %s, although a secret is the same word"],
  ],
  [
    `Messages have no such exception.`,
    ["engine/known-secrets.test.ts", "a message masks a secret even where it is an everyday word"],
  ],
  [
    `Names and messages of services and files reach a terminal, a CI log or a report as text.`,
    [text, "… does nothing with …"],
  ],
  [
    `Escape sequences, characters that hide or turn text, and the commands of GitHub, GitLab, Azure and TeamCity
    runners are spelled out.`,
    [text, "… does nothing with …"],
  ],
  [
    `In warnings and in what \`codify\` leaves out, so are line breaks.`,
    ["security/door-text.test.ts", "what `codify` says of an object named … stays on its line"],
  ],
  [`JSON keeps its data: what is escaped reads the same.`, [text, "the last guard leaves JSON the same data"]],
  [
    `Reports are safe to open as HTML, Markdown, SARIF, JUnit and CSV, and code that \`codify\` prints has names
    and values in literals only.`,
    [text, "… does nothing with …"],
    ["drift/report/html.test.ts", "a hostile report ends none of its elements early"],
    ["drift/report/csv.test.ts", "no field is a formula to a spreadsheet"],
    ["security/door-text.test.ts", "… that `codify` writes has … in a name as text"],
  ],
  [
    `\`stack output <name>\` follows the same rule: take \`--json\` where a program reads the exact value.`,
    ["security/hostile-files.test.ts", "a state with … in its names does nothing to one output, nor to a list"],
  ],
  [
    `Answers have a ceiling of 10 MB, 64 levels and 500,000 members; lists of 2,500 pages, 250,000 objects, 128
    MB and ten minutes; \`codify\` keeps 48 MB.`,
    ["api/faults.test.ts", "19 oversized body"],
    ["api/json.test.ts", "nesting has a limit, and brackets in texts do not count"],
    [service, "an answer of many small members is refused before it takes many times its text"],
    [service, "a list with ever new page tokens ends, with objects on its pages or without"],
    [service, "a list of pages with very many objects ends"],
    [service, "a list of large pages ends before it fills the memory"],
    [service, "a list whose pages come slowly ends by its deadline"],
    [service, "codify keeps no more of endless lists than it may"],
  ],
  [
    `Files and standard input are read up to 16 MB where people write them, 64 MB where they are reports, previews,
    plans or journals, and 128 MB where they are states, of which no larger one is written.`,
    ["files/ceilings.test.ts", "%s of two gigabytes is refused by its size"],
    ["files/ceilings.test.ts", "%s that standard input does not end is refused by its size"],
    ["files/read.test.ts", "refuses a file of two gigabytes by its size, and reads none of it"],
    ["lifecycle/journal.test.ts", "a journal that is too large to be read is an error, and not an empty one"],
    ["state/stack-files.test.ts", "stay as they are where the next one could not be read again"],
  ],
  [
    `A YAML file has at most 4 MB, 600,000 tokens and 1,000 aliases, which is more than a program of 5,000 resources.`,
    ["text/parse-problem.test.ts", "a text that cannot be read is named by its place: %.20j"],
    ["text/parse-problem.test.ts", "a program of 5,000 resources is read"],
  ],
  [
    `No text costs more than in proportion to its length: patterns are linear, and a test asks a checker about each.`,
    ["architecture/expressions.test.ts", "every regular expression that is published is linear"],
    ["security/linear-time.test.ts", "%s costs in proportion to its length"],
  ],
  [
    `A packed state may unpack to 40 times its size, at least to 32 MB, and to 128 MB at most.`,
    ["state/compression.test.ts", "a packed state may unpack to 40 times its size"],
    ["security/hostile-files.test.ts", "a state that unpacks to very much more is refused"],
  ],
  [
    `The plugin judges calls of up to 10,000 values and 32 MB, and refuses others, so that none holds those beside it.`,
    ["plugin/hostile-calls.test.ts", "a call of 100,000 properties is refused, and the others are answered"],
    ["plugin/hostile-calls.test.ts", "a message that cannot be decoded, or is too long, is refused"],
  ],
  [
    `Waits end by their timeout or ^C.`,
    ["lifecycle/deletes.test.ts", "an object without a state that outlasts the timeout is reported as visible"],
    [service, "a service that never answers is left at ^C"],
    ["lifecycle/interrupts.test.ts", "a wait that begins after an interrupt ends at once, without looping"],
  ],
  [
    `A signal ends a scan also while it waits for a lock, reads a pipe or matches patterns.`,
    ["security/interrupted.test.ts", "%s ends a scan that waits for the lock of its trace"],
    ["security/interrupted.test.ts", "%s ends a scan that reads a pipe which nobody writes into"],
    ["security/interrupted.test.ts", "%s ends a scan that matches patterns for hours"],
    ["files/write.test.ts", "is waited for only briefly after another one was waited for in vain"],
  ],
  [
    `State, history, backups, exports and reports are written in one step, and but for reports readable by their
    owner only; a state that is stricter stays so.`,
    [neighbor, "a new state is its owner's alone"],
    [neighbor, "history and backups are their owner's alone"],
    [neighbor, "an export into a new file is its owner's alone"],
    [neighbor, "a state that is stricter stays so"],
    ["files/write.test.ts", "is readable by its owner only, and leaves no other file beside it"],
    ["state/stack-files.test.ts", "keep the state before as `.bak`, and no other trace of a save"],
  ],
  [
    `A report, a baseline or a patch is for whom the umask says, and never for others to write.`,
    ["files/write.test.ts", "keeps its rights of %i where it is for others, but theirs to write it"],
    ["security/door-files.test.ts", "… is not written …"],
  ],
  [
    `A state behind a link that leads out of its folder is not read.`,
    ["state/stack-files.test.ts", "that are a link to a file elsewhere are not read, and a link among them is"],
  ],
  [
    `Folders that are created are their owner's alone, whatever the umask is; one of states that others may write,
    without a sticky bit, is a warning with the \`chmod\`.`,
    ["files/made-folders.test.ts", "each folder that is made is its owner's alone"],
    ["files/made-folders.test.ts", "is one warning of %s, with the chmod"],
  ],
  [`Traces are readable by their owner only.`, ["security/door-files.test.ts", "… is not written …"]],
  [
    `A link that somebody laid where one of these files, a patch, a program, a baseline, settings or a stack's
    config goes is refused, and one where a temporary file goes is not followed.`,
    ["files/write.test.ts", "a report and a patch are not written through a link"],
    ["files/write.test.ts", "a stack's config that is a link is not edited outside of the checkout"],
    [neighbor, "a link where the next state is written is not followed"],
    ["security/door-files.test.ts", "… is not written …"],
  ],
  [
    `So is a link on the way to a file that you name in the folder of a command, where it leads out of that folder.`,
    ["files/write.test.ts", "is not written where a link on the way leads out of the folder"],
  ],
  [
    `What this package keeps for itself (the ownership journal, claims, results of a scan, the emulator's data) is
    kept neither in a folder of another user, unless \`root\` runs it, nor behind another user's link.`,
    ["files/write.test.ts", "is not used where it belongs to another user, whom root believes"],
    ["files/write.test.ts", "is not used behind a link that another user could have laid"],
    ["architecture/doors.test.ts", "files are written by `io/files` alone"],
  ],
  [
    `A lock is waited for one second at most.`,
    ["files/write.test.ts", "that somebody keeps renewing is waited for a second, and no longer"],
  ],
  [
    `On a loopback address it answers only to loopback names, so that a web page cannot have a name of its own
    point there.`,
    [neighbor, "the API of an emulator does not answer to the name …"],
    [neighbor, "its store of uploads does not answer to the name …"],
    [neighbor, "the control plane does not answer to the name …"],
  ],
  [
    `With \`--account\` there is no superuser key unless you give one.`,
    [neighbor, "an emulator with accounts of its own has no superuser key that everybody knows"],
    [neighbor, "a superuser key that is given is the only one"],
  ],
  [
    `Give the control token as \`MODELPLATFORM_CONTROL_TOKEN\`: arguments are seen by every process of the
    machine.`,
    [neighbor, "the control token comes from the environment, which no list of processes shows"],
  ],
];
