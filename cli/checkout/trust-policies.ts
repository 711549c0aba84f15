/** What does harm in the wrong hands. */
interface HarmfulChoices {
  /** Where requests and the keys in them go. */
  address: readonly ChoiceSource[];
  /** Which keys are used, and which commands make them. */
  key: readonly ChoiceSource[];
  /** Which programs run. */
  program: readonly ChoiceSource[];
  /** Which files are written. */
  path: readonly ChoiceSource[];
}

export type Choice = keyof HarmfulChoices;

/** Who may choose: the user who starts the command, the state of a stack, or files of the checkout. */
export type ChoiceSource = "flags" | "environment" | "project" | "trusted project";

/** What a command takes from where, and a sentence about it for the documentation. */
export interface TrustPolicy extends HarmfulChoices {
  note?: string;
  /** Looks for the project in its folder and above: one of another user is taken from above only if it is trusted. */
  findsProject?: boolean;
}

const nothing: HarmfulChoices = { address: [], key: [], program: [], path: [] };

/** Runs the user's own project: its program, its config and its backend are what the command is for. */
const runsProject: TrustPolicy = {
  address: ["flags", "environment", "project"],
  key: ["flags", "environment", "project"],
  program: ["environment", "project"],
  path: ["flags", "environment", "project"],
  note: "Runs the program, which is code of the project.",
  findsProject: true,
};

/** Works on the project's stacks: sends nothing and runs nothing. */
const editsStacks: TrustPolicy = { ...nothing, path: ["flags", "environment", "project"], findsProject: true };

/** Calls the service from wherever it is started. */
const callsService: HarmfulChoices = {
  address: ["flags", "environment"],
  key: ["environment"],
  program: ["environment"],
  path: ["flags", "environment"],
};

const exportsStacks: TrustPolicy = {
  ...callsService,
  address: ["flags", "environment", "trusted project"],
  program: ["environment", "trusted project"],
  findsProject: true,
  note: "Reads states of a folder that the project names. For other backends `pulumi stack export` runs, outside of the checkout; with `--trust-project` inside, so that the backend of `Pulumi.yaml` counts.",
};

/**
 * The declaration of what each command takes from the checkout that it runs in. `openCheckout` enforces it, the table
 * of `docs/security.md` is written from it, and a test attacks every command by it.
 */
export const trustPolicies = {
  preview: runsProject,
  review: { ...nothing, path: ["flags"] },
  up: runsProject,
  refresh: {
    ...runsProject,
    note: "Runs providers of other packages' resources from the project, and the program with `--run-program`.",
  },
  destroy: {
    ...runsProject,
    note: "Runs providers of other packages' resources from the project, and the program with `--run-program`.",
  },
  cancel: editsStacks,
  stack: editsStacks,
  state: editsStacks,
  config: editsStacks,
  codify: exportsStacks,
  import: { ...runsProject, note: "Imports into a stack of the project, with its config, as `up` would." },
  drift: {
    ...exportsStacks,
    note: `${exportsStacks.note} \`--patches\` loads the TypeScript of the program's folder, which is code of the project. \`--notify\` takes its address from the flags alone, \`--notify-owners\` from variables of the environment.`,
  },
  audit: {
    ...exportsStacks,
    note: `${exportsStacks.note} Prices come from the environment, and the address of \`--notify\` from the flags alone, those of \`--notify-owners\` from variables of the environment.`,
  },
  cost: {
    ...exportsStacks,
    note: `${exportsStacks.note} Prices come from the environment.`,
  },
  accept: {
    ...exportsStacks,
    program: ["environment", "project"],
    path: ["flags", "environment", "project"],
    note: "Edits the user's own program: takes stacks as `drift` does, loads the TypeScript of its folder, and runs the program with `--write` and `--interactive`.",
  },
  doctor: {
    ...nothing,
    findsProject: true,
    address: ["flags", "environment", "trusted project"],
    key: ["environment", "trusted project"],
    program: ["environment", "trusted project"],
    note: "Reads the project's files and says what is in them. Writes nothing.",
  },
  new: {
    ...nothing,
    path: ["flags"],
    note: "Copies files of the package into the folder, and overwrites none but `package.json`.",
  },
  call: callsService,
  probe: callsService,
  emulator: { ...nothing, path: ["flags"] },
} as const satisfies Record<string, TrustPolicy>;

export type CommandName = keyof typeof trustPolicies;

/** Whether the command calls the service with settings from the environment and `--setting`. */
export const callsServiceWithSettings = ({ address }: TrustPolicy): boolean =>
  address.includes("environment") && !address.includes("project");

/** One that declares nothing takes nothing. */
export const trustPolicyOf = (command: string): TrustPolicy =>
  (trustPolicies as Readonly<Record<string, TrustPolicy>>)[command] ?? nothing;

/** Whether `--trust-project` changes anything for the command. */
export const isAffectedByTrust = ({ findsProject = false, address, key, program, path }: TrustPolicy): boolean =>
  findsProject || [address, key, program, path].some((sources) => sources.includes("trusted project"));
