// SPDX-License-Identifier: BSD-2-Clause
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist/", "node_modules/"] },
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: { "@typescript-eslint/restrict-template-expressions": "error" },
  },
);
