// Writes src/generated and the version of the package from openapi.json: hey-api/openapi-ts makes the types, and this
// the methods, one for each operation, and the classes of errors of the table of problem types, the first argument.
// With --check it only says what would change.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient } from "@hey-api/openapi-ts";
import { operationsModule } from "./operations.js";
import { problemModules } from "./problems.js";

const here = fileURLToPath(new URL("..", import.meta.url));
const generated = join(here, "src", "generated");
const check = process.argv.includes("--check");

const document = closed(JSON.parse(readFileSync(join(here, "../../openapi.json"), "utf8")));
const problems = JSON.parse(readFileSync(process.argv[2], "utf8"));

const files = new Map(Object.entries(await typeModules()));
files.set(join(generated, "operations.gen.ts"), operationsModule(document));
for (const [name, text] of Object.entries(problemModules(problems))) {
  files.set(join(generated, name), text);
}
files.set(join(generated, "version.gen.ts"), `export const VERSION = ${JSON.stringify(document.info.version)};\n`);

const stale = [];
for (const [path, text] of files) {
  update(path, formatted(text));
}
for (const name of ["package.json", "package-lock.json"]) {
  update(join(here, name), versioned(join(here, name)));
}
if (check && stale.length > 0) {
  console.error(`clients/typescript is not as openapi.json has it: make clients (${stale.join(", ")})`);
  process.exitCode = 1;
}

function formatted(text) {
  const biome = join(here, "node_modules/.bin/biome");
  return execFileSync(biome, ["format", "--stdin-file-path=src/generated.ts"], {
    cwd: here,
    input: text,
    encoding: "utf8",
  });
}

/**
 * The document with types of the values that there are so far, each under one name; the client takes others all the same.
 */
function closed(document) {
  // A type `Webhooks` would hide the record of that name; what webhooks are sent is the record `Event`.
  delete document.webhooks;
  const { schemas } = document.components;
  for (const schema of within(schemas)) {
    if ("x-extensible-enum" in schema) {
      schema.enum = schema["x-extensible-enum"];
      delete schema["x-extensible-enum"];
      // The types say it.
      schema.description = schema.description.replace(/ ?Known values: [^.]*\. Later versions may add more\.$/, "");
    }
  }
  const names = new Map(Object.keys(schemas).map((name) => [String(schemas[name].enum), name]));
  for (const schema of within(document)) {
    const name = Array.isArray(schema.enum) ? names.get(String(schema.enum)) : undefined;
    if (name !== undefined && schema !== schemas[name]) {
      delete schema.enum;
      delete schema.type;
      schema.$ref = `#/components/schemas/${name}`;
    }
  }
  return document;
}

/** Each object of a part of the document. */
function within(node) {
  return typeof node === "object" && node !== null ? [node, ...Object.values(node).flatMap(within)] : [];
}

/** Only `types.gen.ts` of what hey-api writes, by its path. */
async function typeModules() {
  const directory = mkdtempSync(join(tmpdir(), "adsvc-client-"));
  try {
    await createClient({
      input: document,
      output: { path: directory, entryFile: false },
      plugins: [{ name: "@hey-api/typescript" }],
      logs: { level: "silent", file: false },
    });
    const names = readdirSync(directory).filter((name) => name === "types.gen.ts");
    return Object.fromEntries(
      names.map((name) => [join(generated, name), readFileSync(join(directory, name), "utf8")]),
    );
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** The manifest with the version of the document. */
function versioned(path) {
  const manifest = JSON.parse(readFileSync(path, "utf8"));
  manifest.version = document.info.version;
  if (manifest.packages !== undefined) {
    manifest.packages[""].version = document.info.version;
  }
  return JSON.stringify(manifest, null, 2) + "\n";
}

function update(path, text) {
  let before;
  try {
    before = readFileSync(path, "utf8");
  } catch {
    before = undefined;
  }
  if (before !== text) {
    stale.push(path.slice(here.length));
    if (!check) {
      writeFileSync(path, text);
    }
  }
}
