export type { Condition, Logic } from "./core/requests/conditions";
export * from "./errors";
export type { FilterField, FilterFields } from "./pulumi/filter-fields";
export * from "./sdk/index";
