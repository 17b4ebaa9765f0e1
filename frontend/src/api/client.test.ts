// @vitest-environment jsdom
// A refusal keeps the server's code and sentence; a missing answer is distinct from a refusal.
import { http, HttpResponse } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { client, read } from "./client";
import { explain } from "./refusal";

const server = setupServer();
const address = `${location.origin}/api/v1/runs/:id`;
const ask = () => read(client.GET("/api/v1/runs/{run_id}", { params: { path: { run_id: 7 } } }));

beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

test("a problem becomes a Refusal with its code, status and detail", async () => {
  const problem = { code: "device_busy", detail: "Device /dev/loop3 is held by run 4.", status: 409 };
  server.use(http.get(address, () => HttpResponse.json(problem, { status: 409 })));
  await expect(ask()).rejects.toMatchObject({ code: "device_busy", status: 409, message: problem.detail });
});

test("a missing answer is unreachable, and states that nothing is lost", async () => {
  server.use(http.get(address, () => HttpResponse.error()));
  const error: unknown = await ask().catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "unreachable", status: 0 });
  expect(explain(error).next).toContain("Nothing you entered is lost");
});

test("an answer that is not the server's is unreachable as well", async () => {
  server.use(http.get(address, () => new HttpResponse("Bad gateway", { status: 502 })));
  await expect(ask()).rejects.toMatchObject({ code: "unreachable", status: 502 });
});
