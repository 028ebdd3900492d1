// node examples/from-source.mjs <program.ts>: runs a program whose imports of `blazon` are files of `src/`, so nothing has to be built first.
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { register } from 'tsx/esm/api'

register({ tsconfig: fileURLToPath(new URL('tsconfig.json', import.meta.url)) })
// The program reads its own arguments behind its name, as always.
process.argv.splice(1, 1)
await import(pathToFileURL(resolve(process.argv[1])).href)
