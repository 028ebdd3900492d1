import { createRequire } from 'node:module'
import { extname } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Imports a module of the user. */
export async function importModule(path: string): Promise<object> {
  // If Node 20 imports CommonJS that tsx compiles, the module cannot require ES modules, such as parts of this package.
  const isRequired = extname(path) === '.cts' && Number.parseInt(process.versions.node, 10) < 22
  if (!isRequired) return await import(pathToFileURL(path).href)
  const exports: unknown = createRequire(path)(path)
  // As Node imports CommonJS.
  return { default: exports, 'module.exports': exports }
}
