/** With `experimentalDecorators` in the tsconfig: `{ legacyDecorator: true }`. */
const dialect = { decoratorVersion: '2022-03' }
const parser = { syntax: 'typescript', decorators: true }

export default {
  extensionsToTreatAsEsm: ['.ts'],
  // TypeScript imports './app.ts' as './app.js'.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser, transform: dialect } }],
  },
}
