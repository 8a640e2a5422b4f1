// The classes of errors: one for each status, below them one for each type of problem.

/** The modules by their names. `table` has what each `type` of a problem means, and how its class is named. */
export function problemModules(table) {
  const problems = Object.entries(table).map(([type, about]) => ({ type, ...about }));
  const classes = new Map();
  const byStatus = new Map();
  const byType = new Map();
  for (const { status, statusClass } of problems) {
    byStatus.set(status, statusClass);
    classes.set(statusClass, { parent: "ProblemError", doc: `Status ${status}, whatever its type.` });
  }
  for (const { type, class: name, statusClass: parent, title, explanation } of problems) {
    const doc = `${title}. ${explanation}`;
    if (classes.has(name) && name !== parent) {
      throw new Error(`Two classes would be named ${name}.`);
    }
    if (name !== parent) {
      classes.set(name, { parent, doc });
    }
    byType.set(type, name);
  }
  return {
    "problems.gen.ts": classesModule(problems, classes),
    "problem-classes.gen.ts": tablesModule(byType, byStatus),
  };
}

function classesModule(problems, classes) {
  const texts = [...classes].map(([name, { parent, doc }]) => classText(name, parent, doc));
  return `// Made by scripts/generate.js from the table of problem types.
import { ProblemError } from "../errors.js";

${texts.join("\n")}
/** \`type\` of a \`ProblemError\`. */
export type ProblemType = ${problems.map(({ type }) => `"${type}"`).join(" | ")};
`;
}

function tablesModule(byType, byStatus) {
  const rows = (entries) => [...entries].map(([key, name]) => `${JSON.stringify(key)}: problems.${name},`).join("\n");
  return `// Made by scripts/generate.js from the table of problem types.
import type { ProblemError } from "../errors.js";
import * as problems from "./problems.gen.js";

export const CLASSES_BY_TYPE: Readonly<Record<string, typeof ProblemError>> = {
${rows(byType)}
};

export const CLASSES_BY_STATUS: Readonly<Record<number, typeof ProblemError>> = {
${rows(byStatus)}
};
`;
}

function classText(name, parent, doc) {
  return `/** ${doc} */
export class ${name} extends ${parent} {
  override readonly name: string = "${name}";
}
`;
}
