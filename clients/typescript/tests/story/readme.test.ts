import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { access, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { PHOTO } from "../support/photo.js";
import { serve, type Service } from "../support/service.js";

const run = promisify(execFile);
let directory = "";
let service: Service;

before(async () => {
  service = await serve();
  directory = await mkdtemp(join(tmpdir(), "adsvc-readme-"));
});
after(async () => {
  await service.stop();
  await rm(directory, { recursive: true });
});

test("the example of the README runs and is typed, with the package as it is published", async () => {
  const packed = await run("npm", ["pack", "--silent", "--pack-destination", directory]);
  const tarball = join(directory, packed.stdout.trim().split("\n").at(-1) ?? "");
  await writeFile(join(directory, "package.json"), '{"type": "module"}');
  await run("npm", ["install", "--silent", "--offline", "--no-audit", "--no-fund", tarball], { cwd: directory });
  await writeFile(join(directory, "photo.jpg"), PHOTO);

  const example = /```js\n([^]*?)```/.exec(await readFile("README.md", "utf8"))?.[1] ?? "";
  assert.ok(example.includes("http://127.0.0.1:8080"));
  const here = example.replace("http://127.0.0.1:8080", service.url);
  await writeFile(join(directory, "example.mjs"), here);
  for (const time of ["first", "second"]) {
    const { stdout } = await run(process.execPath, ["example.mjs"], { cwd: directory });
    assert.match(stdout, /^\d+ Oak table, seats six 150$/m, time);
  }

  await writeFile(join(directory, "example.mts"), here);
  await symlink(resolve("node_modules/@types"), join(directory, "node_modules/@types"));
  const strict = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2022", "--types", "node"];
  await run(resolve("node_modules/.bin/tsc"), [...strict, "example.mts"], { cwd: directory });

  // Debuggers and editors find the sources of what is compiled and of its types.
  const dist = join(directory, "node_modules/adsvc-client/dist");
  const maps = (await readdir(dist, { recursive: true })).filter((name) => name.endsWith(".map"));
  assert.ok(maps.includes("client.js.map") && maps.includes("client.d.ts.map"), maps.join());
  for (const map of maps) {
    const { sources } = JSON.parse(await readFile(join(dist, map), "utf8")) as { sources: string[] };
    for (const source of sources) {
      await access(join(dist, map, "..", source));
    }
  }
});

test("the README names each iterator over pages", async () => {
  const readme = await readFile("README.md", "utf8");
  const source = await readFile("src/generated/operations.gen.ts", "utf8");
  const listings = [...source.matchAll(/All that `list(\w+)` finds/g)].map(([, name = ""]) => name);
  const iterators = listings.map((name) => name.charAt(0).toLowerCase() + name.slice(1));
  assert.ok(iterators.length >= 6);
  for (const name of iterators) {
    assert.ok(readme.includes(`\`${name}\``), name);
  }
});
