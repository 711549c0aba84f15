export const paging = {
  defaultPageSize: 50,
  maxPageSize: 200,
  /** A larger pageSize is taken as the maximum, without an error. */
  aboveMax: "coerced",
  /** A095. */
  zero: 50,
  /** A095. */
  negative: { http: 400 },
} as const;

export const pageSizes: readonly { readonly asked: number | undefined; readonly used: number }[] = [
  { asked: undefined, used: 50 },
  { asked: 0, used: 50 },
  { asked: 1, used: 1 },
  { asked: 50, used: 50 },
  { asked: 199, used: 199 },
  { asked: 200, used: 200 },
  { asked: 201, used: 200 },
  { asked: 1000, used: 200 },
];

export const response = {
  members: ["{collection}", "nextPageToken", "totalSize"],
  nextPageToken: "string",
  totalSize: "integer",
  /** The last page leaves `nextPageToken` out. */
  lastPage: "nextPageToken is absent",
} as const;

export const tokenRules: readonly { readonly id: string; readonly sentence: string; readonly by?: string }[] = [
  {
    id: "same-parameters",
    sentence: "A token goes with the parameters of the call that gave it; only pageToken differs.",
  },
  { id: "absent-or-empty-ends", sentence: "A list ends where the token is missing or empty.", by: "A094" },
  { id: "repeated-is-an-error", sentence: "The same token twice is an error, not another page.", by: "A094" },
  { id: "bound-to-caller", sentence: "A token of one caller is no good for another.", by: "A095" },
  { id: "total-is-filtered", sentence: "totalSize counts what the filter lets through.", by: "A095" },
];

export const orderBy = {
  separator: ",",
  descendingSuffix: " desc",
  defaultDirection: "ascending",
  subfieldSeparator: ".",
  /** The second spelling is seen in an example. */
  parameterNames: ["orderBy", "order_by"],
  /** A095. */
  fieldCases: ["snake_case", "camelCase"],
  /** A095. */
  ties: "name",
} as const;

export const readMask = { all: ["", "*"] } as const;

export const filter = {
  grammar: "AIP-160",
  conjunction: "AND",
  fieldCase: "snake_case",
  /** A095. */
  alsoAccepted: "camelCase",
  /** A095. */
  unknownField: { http: 400 },
} as const;

/** Filters with what they keep; `{model}` is a model's full resource name. */
export const shapeVersionFilters: readonly { readonly filter: string; readonly keeps: string }[] = [
  { filter: 'snapshot.base_model="{model}"', keeps: "versions of shapes of that model" },
  { filter: "latest_validated=true", keeps: "each shape's latest validated version" },
  { filter: 'snapshot.base_model="{model}" AND latest_validated=true', keeps: "both of them at once" },
];

export const wildcard = {
  character: "-",
  for: ["account_id", "deployment_shape_id"],
  in: "listDeploymentShapeVersions",
} as const;

/** Documented default order per operation, and `create_time` for deployments by A040. */
export const defaultOrders: Readonly<Record<string, string>> = {
  listDeploymentShapeVersions: "create_time",
  listSupervisedFineTuningJobs: "name",
  listDeployedModels: "name",
  listAccounts: "name",
  listRlorTrainerJobs: "name",
  listDeployments: "create_time",
};

export const withoutOrderBy = ["listAccounts"] as const;
