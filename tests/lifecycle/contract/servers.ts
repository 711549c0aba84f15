import type { Settings } from "../../../emulator/index";

/**
 * Services that differ in everything the reference leaves open. Each kind of PATCH meets both ways of everything else,
 * and the others are spread over them; all combinations of everything would tell no more.
 */
export const servers: readonly (readonly [string, Partial<Settings>])[] = (
  [
    {
      patch: "mask",
      softDelete: true,
      emitUnset: false,
      errorStyle: "flat",
      denied: 403,
      annotationsPatch: "allow",
      missingSecret: 404,
      unknownFields: "refuse",
    },
    {
      patch: "mask",
      softDelete: false,
      emitUnset: true,
      errorStyle: "nested",
      denied: 404,
      annotationsPatch: "refuse",
      missingSecret: 500,
      unknownFields: "ignore",
    },
    {
      patch: "derive",
      softDelete: true,
      emitUnset: true,
      errorStyle: "flat",
      denied: 404,
      annotationsPatch: "allow",
      missingSecret: 500,
      unknownFields: "refuse",
    },
    {
      patch: "derive",
      softDelete: false,
      emitUnset: false,
      errorStyle: "nested",
      denied: 403,
      annotationsPatch: "refuse",
      missingSecret: 404,
      unknownFields: "refuse",
    },
    {
      patch: "populated",
      softDelete: true,
      emitUnset: true,
      errorStyle: "nested",
      denied: 403,
      annotationsPatch: "refuse",
      missingSecret: 404,
      unknownFields: "refuse",
    },
    {
      patch: "populated",
      softDelete: false,
      emitUnset: false,
      errorStyle: "flat",
      denied: 404,
      annotationsPatch: "allow",
      missingSecret: 500,
      unknownFields: "ignore",
    },
    {
      patch: "replace",
      softDelete: true,
      emitUnset: false,
      errorStyle: "nested",
      denied: 404,
      annotationsPatch: "allow",
      missingSecret: 500,
      unknownFields: "refuse",
    },
    {
      patch: "replace",
      softDelete: false,
      emitUnset: true,
      errorStyle: "flat",
      denied: 403,
      annotationsPatch: "refuse",
      missingSecret: 404,
      unknownFields: "refuse",
    },
  ] satisfies Partial<Settings>[]
).map((settings) => [Object.values(settings).join(" "), settings] as const);

/** The same with their places in the list, where cases are spread over them. */
export const places = servers.map(([title, settings], place) => [title, settings, place] as const);
