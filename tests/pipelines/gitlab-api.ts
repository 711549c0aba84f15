import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Forge } from "./forge";

/** Answers what the pipelines ask of GitLab's API: notes of merge request 7, and issues. Anything else is a 404. */
export async function serveGitLab(forge: Forge): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    void answer(forge, request).then(({ status, body }) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body)),
    );
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v4`, close: () => void server.close() };
}

/** The forge refuses longer ones. */
const longestBody = 1_000_000;
/** Whose the token is. */
const me = 1;

async function answer(forge: Forge, request: IncomingMessage): Promise<{ status: number; body?: unknown }> {
  const { comments, issues } = forge;
  const pulls = (forge.pulls ??= []);
  if (request.headers["private-token"] !== "gitlab-token") return { status: 401 };
  const sent = new URLSearchParams(await text(request));
  if (request.url === "/api/v4/user") return { status: 200, body: { id: me } };
  const [path = "", id] =
    /^\/api\/v4\/projects\/1\/(merge_requests\/7\/notes|issues|merge_requests)(?:\/(\d+))?(?:\?|$)/
      .exec(request.url ?? "")
      ?.slice(1) ?? [];
  const change = `${request.method} ${path.split("/").at(-1)}`;
  switch (change) {
    case "GET notes": {
      const query = new URL(request.url!, "http://gitlab").searchParams;
      const [size, page] = [Math.min(Number(query.get("per_page") ?? 20), 100), Number(query.get("page") ?? 1)];
      const some = comments.slice((page - 1) * size, page * size);
      return { status: 200, body: some.map((each) => ({ author: { id: me }, ...each })) };
    }
    case "POST notes":
    case "PUT notes": {
      const body = sent.get("body")!;
      if (body.length > longestBody) return { status: 400 };
      forge.sent = (forge.sent ?? 0) + 1;
      if (change === "POST notes") return { status: 201, body: comments.push({ id: comments.length + 1, body }) };
      comments.find((each) => String(each.id) === id)!.body = body;
      return { status: 200 };
    }
    case "GET issues":
      return {
        status: 200,
        body: issues.filter(({ state }) => state === "open").map(({ number }) => ({ iid: number })),
      };
    case "POST issues":
      return {
        status: 201,
        body: issues.push({ number: issues.length + 1, state: "open", body: sent.get("description")! }),
      };
    case "PUT issues": {
      const issue = issues.find(({ number }) => String(number) === id)!;
      if (sent.get("state_event") === "close") issue.state = "closed";
      else issue.body = sent.get("description")!;
      return { status: 200 };
    }
    case "GET merge_requests": {
      const branch = new URL(request.url!, "http://gitlab").searchParams.get("source_branch");
      const found = pulls.filter((each) => each.state === "open" && each.branch === branch);
      return { status: 200, body: found.map(({ number }) => ({ iid: number })) };
    }
    case "POST merge_requests":
      return {
        status: 201,
        body: pulls.push({
          number: pulls.length + 1,
          state: "open",
          branch: sent.get("source_branch")!,
          body: sent.get("description")!,
        }),
      };
    case "PUT merge_requests": {
      const pull = pulls.find(({ number }) => String(number) === id)!;
      if (sent.get("state_event") === "close") pull.state = "closed";
      else pull.body = sent.get("description")!;
      return { status: 200 };
    }
    default:
      return { status: 404 };
  }
}
