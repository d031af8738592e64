// Calls every GET through a client that openapi-fetch makes of the types of openapi-typescript.
// Prints a JSON object: of each operation the status, and whether there is an answer.
import createClient from "openapi-fetch";
import type { paths } from "./made.js";

const [baseUrl, key, known] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });

type Call = { operation: string; path: string; params: { path?: object; query?: object } };

// Two calls that are typed to the last member, so that the compiler checks the types against their use.
export async function typed(siteId: string, issueId: string): Promise<number> {
  const issue = await client.GET("/sites/{siteId}/issues/{issueId}", {
    params: { path: { siteId, issueId }, query: { pages_offset: 0, suggestionsLimit: 5 } },
  });
  if (issue.error !== undefined) throw new Error(issue.error.error.code);
  const listed = await client.GET("/sites", {});
  const next: number | null | undefined = listed.data?.nextOffset;
  return issue.data.pagesTotal + (next ?? 0);
}

async function main(): Promise<void> {
  const calls: Call[] = JSON.parse(known);
  const found: Record<string, { status: number; read: boolean }> = {};
  for (const call of calls) {
    const parseAs = call.operation === "read_changelog" ? "text" : "json";
    const get = client.GET as (path: string, options: object) => Promise<{ data?: unknown; response: Response }>;
    const { data, response } = await get(call.path, { params: call.params, parseAs });
    found[call.operation] = { status: response.status, read: data !== undefined };
  }
  const issue = calls.find((call) => call.operation === "read_issue")?.params.path as { siteId: string; issueId: string };
  await typed(issue.siteId, issue.issueId);
  console.log(JSON.stringify(found));
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
