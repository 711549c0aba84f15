export * from "./errors";
export * from "./sdk/index";
