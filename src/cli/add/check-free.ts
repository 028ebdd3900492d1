import { CliError } from '../cli-error.js'
import type { ProjectFile } from './project-files.js'
import type { PartFile } from './read-part.js'

/**
 * Checks that the code of a part has no name and no route that other code has.
 *
 * @param others The code of the project, without the files of the part.
 * @throws CliError for a class or constant that exists, for a name that the part imports, and for a prefix of routes.
 */
export function checkFree(files: readonly PartFile[], others: readonly ProjectFile[]): void {
  const sources = files.slice(0, -1)
  const names = sources.flatMap(({ text }) => found(text, /^export (?:class|const) (\w+)/gm))
  const imported = files.flatMap(({ text }) =>
    found(text, /^import (?:type )?\{(.*)\} from ['"][^.]/gm).flatMap((list) =>
      found(list, /(\w+)(?:,|\s*$)/g),
    ),
  )
  for (const name of names) {
    if (imported.includes(name)) throw taken(`${name} is a name of the package blazon.`)
    const declared = new RegExp(`\\b(?:class|const|let|var|function)\\s+${name}(?![\\w$])`)
    const owner = others.find(({ mask }) => declared.test(mask))
    if (owner !== undefined) throw taken(`${owner.path} declares ${name}.`)
  }
  for (const prefix of sources.flatMap(({ text }) => prefixesIn(text))) {
    const owner = others.find(({ text, mask }) => prefixesIn(text, mask).includes(prefix))
    if (owner !== undefined) throw taken(`${owner.path} has the routes of /${prefix}.`)
  }
}

/** The paths of controllers, which Express compares without their case. */
function prefixesIn(text: string, mask = text): string[] {
  return [...text.matchAll(/@Controller\(\s*['"`]\/*([^'"`]*?)\/*['"`]/g)]
    .filter(({ index }) => mask[index] === '@')
    .map(([, path = '']) => path.toLowerCase())
}

function found(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, name = '']) => name)
}

function taken(cause: string): CliError {
  return new CliError({
    status: 2,
    what: 'The name is taken. Nothing was written.',
    cause,
    remedy: 'Choose another name.',
  })
}
