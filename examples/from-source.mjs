// Usage: node examples/from-source.mjs <program.ts>
// Runs a program that imports `blazon` from the sources in `src/`, so that no build is necessary.
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { register } from 'tsx/esm/api'

register({ tsconfig: fileURLToPath(new URL('tsconfig.json', import.meta.url)) })
// As usual, the program finds its own arguments after its name.
process.argv.splice(1, 1)
await import(pathToFileURL(resolve(process.argv[1])).href)
