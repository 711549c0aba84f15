export type ErrorFact = {
  readonly id: string;
  readonly when: string;
  /** Documented status and code, where there are any. */
  readonly http?: number;
  readonly code?: number;
  readonly then: string;
};

export const documentedErrors: readonly ErrorFact[] = [
  {
    id: "policy-never-saved",
    when: "policy settings are read that the account never saved",
    http: 404,
    then: "possible, and it means that there is no policy",
  },
  {
    id: "bare-annotation-key",
    when: "a deployment is created with an annotation key outside custom/",
    http: 403,
    code: 7,
    then: "the request is refused with PERMISSION_DENIED",
  },
  {
    id: "replica-full",
    when: "a replica already has maxConcurrencyPerReplica requests in flight",
    http: 429,
    then: "the next request is turned away early",
  },
  {
    id: "no-default-shape",
    when: "the shape is default, and none fits the model or each contradicts the request",
    then: "the request fails; the error names the fields in conflict and the shapes that would fit",
  },
  {
    id: "unsupported-accelerator-combination",
    when: "accelerator type, count and precision are no combination of the model's shapes",
    then: "creation typically fails with an internal error that does not say so",
  },
  {
    id: "partial-permissions",
    when: "permissions are sent with one of the four booleans unset",
    then: "the server's validation refuses them",
  },
  { id: "page-size-above-maximum", when: "pageSize is above 200", then: "no error: 200 it is" },
];

export const grpcCodes = {
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;

/** A091. */
export const codesByStatus: Readonly<Record<number, readonly number[]>> = {
  400: [3, 9, 11],
  401: [16],
  403: [7],
  404: [5],
  409: [6, 10],
  429: [8],
  499: [1],
  500: [2, 13, 15],
  501: [12],
  503: [14],
  504: [4],
};

/** A091: the service's own form first, then those that are understood as well. */
export const errorBodies: readonly { readonly body: string; readonly code?: number; readonly message?: string }[] = [
  { body: '{"code":5,"message":"gone away","details":[]}', code: 5, message: "gone away" },
  { body: '{"error":{"code":404,"status":"NOT_FOUND","message":"gone away"}}', code: 5, message: "gone away" },
  { body: '{"error":"gone away"}', message: "gone away" },
  { body: '{"message":"gone away"}', message: "gone away" },
  { body: '{"detail":"gone away"}', message: "gone away" },
  { body: "<html><body>gone away</body></html>" },
  { body: "" },
  { body: '{"code":5,"mess' },
];

export const requestIdHeader = "x-request-id";
