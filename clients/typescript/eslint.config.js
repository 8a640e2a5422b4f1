import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["build/", "dist/", "src/generated/"] },
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
  },
  {
    files: ["tests/types/*.ts"],
    rules: {
      // Wrong on purpose.
      "@typescript-eslint/no-confusing-void-expression": "off",
    },
  },
  {
    files: ["tests/**/*.ts"],
    rules: {
      // node:test takes care of the promises that `test` and `describe` return.
      "@typescript-eslint/no-floating-promises": "off",
    },
  },
);
