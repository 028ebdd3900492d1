import { type CodeList, type Item, readList } from './code-list.js'
import type { ProjectFile } from './project-files.js'

/** An object literal in a file. */
export interface ObjectLiteral {
  readonly file: ProjectFile
  readonly list: CodeList
  /** Where the values of its properties are. A property without a value, such as `{ plugins }`, has its name as value. */
  readonly values: ReadonlyMap<string, Item>
  /** Whether it contains the properties of another object: `...options`. */
  readonly isExtension: boolean
}

const OF_APP =
  /(?<![.\w$])(?:new\s+App|App\s*\.\s*create|defineAppOptions)\s*(?:<[^<>(){}]*>\s*)?\(\s*\{|:\s*AppOptions\s*=\s*\{/g
const OF_MODULE = /:\s*Module\s*=\s*\{/g
const FROM_BLAZON = /\bfrom\s*['"]blazon['"]|\brequire\(\s*['"]blazon['"]\s*\)/

/** The object literals that describe applications, or modules. */
export function describedObjects(
  files: readonly ProjectFile[],
  what: 'app' | 'module',
): ObjectLiteral[] {
  return files
    .filter(({ text }) => FROM_BLAZON.test(text))
    .flatMap((file) =>
      [...file.mask.matchAll(what === 'app' ? OF_APP : OF_MODULE)].flatMap(
        (match) => readObject(file, match.index + match[0].length - 1) ?? [],
      ),
    )
}

/** Whether other code sets a property in a copy of an object: `{ ...options, plugins }`. */
export function isReplaced(
  { file: own, list }: ObjectLiteral,
  key: string,
  files: readonly ProjectFile[],
): boolean {
  return files.some((file) =>
    [...file.mask.matchAll(/\{\s*\.\.\./g)].some(
      ({ index }) =>
        !(file === own && index === list.open) && readObject(file, index)?.values.has(key),
    ),
  )
}

function readObject(file: ProjectFile, open: number): ObjectLiteral | undefined {
  const list = readList(file.mask, open)
  if (list === undefined) return undefined
  const values = list.items.flatMap(({ start, end }): [string, Item][] => {
    // The key may be quoted, which the mask hides.
    const [whole = '', quoted, plain = ''] =
      /^(?:['"]([\w$]+)['"]|([\w$]+))\s*(?::\s*)?/.exec(file.text.slice(start, end)) ?? []
    const isShorthand = whole.length === end - start
    return [[quoted ?? plain, { start: isShorthand ? start : start + whole.length, end }]]
  })
  const isExtension = list.items.some(({ start }) => file.mask.startsWith('...', start))
  return { file, list, values: new Map(values), isExtension }
}
