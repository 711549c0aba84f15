import { isObject, type Values } from "../core/values/values";

/** What the details of an error say beside its message, in sentences of one line. */
export interface ServiceDetails {
  /** What is wrong with a field of the request, as the service spells it. */
  fields: readonly { field: string; text: string }[];
  /** Everything else: quotas with their limits, preconditions, a reason, a page that helps. */
  others: readonly string[];
}

/** A screen holds as many; more is not written for people. */
const most = 10;

/** Letters of a text in the details. */
const longest = 300;

/** Reads the details that the error model of gRPC defines, and ignores the rest. */
export function readDetails(details: readonly Values[], message: string): ServiceDetails {
  const others = details.flatMap((detail) => [
    ...quotaLines(detail),
    ...preconditionLines(detail),
    ...localizedLine(detail, message),
    ...resourceLine(detail),
    ...reasonLine(detail),
    ...linkLines(detail),
  ]);
  return { fields: details.flatMap(fieldLines), others: [...new Set(others)] };
}

/**
 * The lines of a message about it, without what the message of the service says already. `placeOf` is this package's
 * name of a field.
 */
export function detailLines(
  { fields, others }: ServiceDetails,
  message: string,
  placeOf: (field: string) => string,
): string[] {
  const isNews = (...parts: readonly string[]): boolean => !parts.every((part) => message.includes(part));
  const lines = [
    ...fields.flatMap(({ field, text }) =>
      isNews(field, text) ? [joined(field === "" ? "" : `\`${placeOf(field)}\``, text)] : [],
    ),
    ...others.filter((text) => isNews(text)),
  ];
  const more = lines.length - most;
  return more > 0 ? [...lines.slice(0, most), `and ${more} more`] : lines;
}

const typeOf = (detail: Values): string =>
  String(detail["@type"] ?? "")
    .split(/[./]/)
    .at(-1) ?? "";

const listIn = (detail: Values, name: string): Values[] => {
  const list = detail[name];
  return Array.isArray(list) ? list.filter(isObject) : [];
};

/** On one line, and not longer than a person reads. */
function line(value: unknown): string {
  if (typeof value !== "string" && typeof value !== "number") return "";
  const letters = [
    ...String(value)
      .slice(0, longest * 2)
      .replace(/[\s\p{Cc}\p{Cf}]+/gu, " ")
      .trim(),
  ];
  return letters.length <= longest ? letters.join("") : `${letters.slice(0, longest).join("")}…`;
}

const joined = (...parts: readonly string[]): string => parts.filter((part) => part !== "").join(": ");

const fieldLines = (detail: Values): { field: string; text: string }[] =>
  listIn(detail, "fieldViolations").flatMap(({ field, description, reason, localizedMessage }) => {
    const words = isObject(localizedMessage) ? line(localizedMessage["message"]) : "";
    const text = words || line(description) || line(reason);
    return text === "" ? [] : [{ field: line(field), text }];
  });

function quotaLines(detail: Values): string[] {
  if (typeOf(detail) !== "QuotaFailure") return [];
  return listIn(detail, "violations").map(({ subject, description, quotaMetric, quotaId, quotaValue }) => {
    const limit = line(quotaValue) === "" ? "" : `the limit is ${line(quotaValue)}`;
    const what = line(quotaId) || line(quotaMetric) || line(subject);
    return joined(what === "" ? "quota" : `quota ${what}`, line(description), limit);
  });
}

const preconditionLines = (detail: Values): string[] =>
  typeOf(detail) !== "PreconditionFailure"
    ? []
    : listIn(detail, "violations").map(({ type, subject, description }) =>
        joined(line(type), line(subject), line(description)),
      );

function localizedLine(detail: Values, message: string): string[] {
  const text = typeOf(detail) === "LocalizedMessage" ? line(detail["message"]) : "";
  return text === "" || text === line(message) ? [] : [text];
}

const resourceLine = (detail: Values): string[] =>
  typeOf(detail) !== "ResourceInfo"
    ? []
    : [
        joined(
          [line(detail["resourceType"]), line(detail["resourceName"])].join(" ").trim(),
          line(detail["description"]),
        ),
      ].filter((text) => text !== "");

/** Of a reason what it is about: a limit, a service. */
function reasonLine(detail: Values): string[] {
  const { reason, metadata } = detail;
  if (typeof reason !== "string" || line(reason) === "") return [];
  const about = isObject(metadata)
    ? Object.entries(metadata).map(([name, value]) => `${line(name)} ${line(value)}`)
    : [];
  return [joined(`reason ${line(reason)}`, about.slice(0, most).join(", "))];
}

/** Only what a browser opens safely. */
const linkLines = (detail: Values): string[] =>
  listIn(detail, "links").flatMap(({ description, url }) =>
    typeof url === "string" &&
    url.length <= longest &&
    /^https:\/\/[^\s"'<>\p{Cc}\p{Cf}]+$/u.test(url) &&
    URL.canParse(url)
      ? [joined(line(description) || "help", url)]
      : [],
  );
