import { z } from "zod";

export interface HarEntry {
  time: number;
  request: { method: string; url: string; queryString: { name: string; value: string }[]; headers: { name: string }[] };
  response: { status: number };
  timings: Record<string, number>;
  comment: string;
}

export const entriesIn = (text: string): HarEntry[] =>
  (JSON.parse(text) as { log: { entries: HarEntry[] } }).log.entries;

// HTTP Archive 1.2, as http://www.softwareishard.com/blog/har-12-spec/ has it. Custom fields begin with an underscore.
const comment = z.string().optional();
const object = <T extends z.ZodRawShape>(fields: T) =>
  z.preprocess(
    (value) =>
      typeof value === "object" && value !== null
        ? Object.fromEntries(Object.entries(value).filter(([name]) => !name.startsWith("_")))
        : value,
    z.strictObject({ ...fields, comment }),
  );
const time = z.iso.datetime({ offset: true });
const text = z.string();
/** Milliseconds, bytes; -1 where it does not apply or is not known. */
const amount = z.number().min(-1);
const named = z.array(object({ name: text, value: text }));
const cookies = z.array(
  object({
    ...{ name: text, value: text, path: text.optional(), domain: text.optional(), expires: time.optional() },
    ...{ httpOnly: z.boolean().optional(), secure: z.boolean().optional() },
  }),
);
const message = { httpVersion: text, cookies, headers: named, headersSize: z.int().min(-1), bodySize: z.int().min(-1) };
const parameter = object({
  name: text,
  value: text.optional(),
  fileName: text.optional(),
  contentType: text.optional(),
});
const cached = object({ expires: time.optional(), lastAccess: time, eTag: text, hitCount: z.int().min(0) }).nullish();
const content = object({
  ...{ size: z.int().min(-1), compression: z.int().optional(), mimeType: text },
  ...{ text: text.optional(), encoding: text.optional() },
});
const entry = object({
  pageref: text.optional(),
  startedDateTime: time,
  time: z.number().min(0),
  request: object({
    ...{ ...message, method: text, url: z.url(), queryString: named },
    postData: object({ mimeType: text, params: z.array(parameter).optional(), text: text.optional() }).optional(),
  }),
  response: object({ ...message, status: z.int(), statusText: text, content, redirectURL: text }),
  cache: object({ beforeRequest: cached, afterRequest: cached }),
  timings: object({
    ...{ blocked: amount.optional(), dns: amount.optional(), connect: amount.optional(), ssl: amount.optional() },
    ...{ send: z.number().min(0), wait: z.number().min(0), receive: z.number().min(0) },
  }),
  serverIPAddress: text.optional(),
  connection: text.optional(),
});
const application = object({ name: text, version: text });
const page = object({
  ...{ startedDateTime: time, id: text, title: text },
  pageTimings: object({ onContentLoad: amount.nullish(), onLoad: amount.nullish() }),
});
const archive = z.strictObject({
  log: object({
    ...{ version: text, creator: application, browser: application.optional() },
    ...{ pages: z.array(page).optional(), entries: z.array(entry) },
  }),
});

/** What HTTP Archive 1.2 finds wrong with a text; undefined where nothing is. */
export const problemsOf = (archived: string): z.core.$ZodIssue[] | undefined =>
  archive.safeParse(JSON.parse(archived)).error?.issues;
