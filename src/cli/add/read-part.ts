import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CliError } from '../cli-error.js'
import type { OutputFile } from '../write-files.js'
import type { CodeKind, PartName } from './part-name.js'

/** All that decides the files of a part. */
export interface PartPlan {
  readonly kind: CodeKind
  readonly name: PartName
  /** The folder of the part, and the folder of its test. */
  readonly folder: string
  readonly testFolder: string
  readonly runner: 'vitest' | 'node:test'
  /** Whether controllers declare their input with schemas of zod. */
  readonly hasZod: boolean
}

/** The files of a part, its source file first and its test last. */
export function readPart(plan: PartPlan): OutputFile[] {
  const { kind, name, folder, testFolder, hasZod } = plan
  const kinds: readonly CodeKind[] = kind === 'module' ? ['module', 'controller'] : [kind]
  const templateOf = (each: CodeKind) => `${hasZod && each === 'controller' ? 'zod-' : ''}${each}`
  const sources = kinds.map((each) => ({
    path: join(folder, `${name.kebab}-${each}.ts`),
    text: read(`src/sample-name-${templateOf(each)}.ts`),
  }))
  const test = {
    path: join(testFolder, `${name.kebab}-${kind}.test.ts`),
    text: read(`test/sample-name-${templateOf(kind)}.test.ts`),
  }
  const files = [...sources, test].map((file) => adapt(file, plan))
  for (const { text } of files) refuseTaken(text)
  return files
}

function read(name: string): string {
  return readFileSync(
    fileURLToPath(new URL(`../../../templates/add/${name}`, import.meta.url)),
    'utf8',
  )
}

/** The templates are real files, whose names are replaced. */
function adapt({ path, text }: OutputFile, { name, folder, runner }: PartPlan): OutputFile {
  const adapted = text
    .replace(/'[./]+(?:src\/)?sample-name-(?:zod-)?(\w+\.js)'/g, (_, end) => {
      return `'${specifierOf(dirname(path), join(folder, `${name.kebab}-${end}`))}'`
    })
    .replaceAll('sample-name', name.kebab)
    .replaceAll('sampleName', name.camel)
    .replaceAll('SampleName', name.pascal)
    .replace("from 'vitest'", `from '${runner}'`)
  return { path, text: adapted }
}

/** The import of a name, for a file in a folder. */
export function importOf(name: string, folder: string, path: string): string {
  return `import { ${name} } from '${specifierOf(folder, path)}';`
}

function specifierOf(folder: string, path: string): string {
  const way = relative(folder, path).replaceAll('\\', '/')
  return way.startsWith('.') ? way : `./${way}`
}

/** A guard `auth` would be an `AuthGuard`, as the interface that it implements. */
function refuseTaken(text: string): void {
  const imported = [...text.matchAll(/^import (?:type )?\{ (.*) \} from/gm)].flatMap(
    ([, names = '']) => names.split(/, (?:type )?/),
  )
  const declared = [...text.matchAll(/^export (?:class|const) (\w+)/gm)].map(([, name]) => name)
  const taken = imported.find(
    (name, index) => declared.includes(name) || imported.indexOf(name) !== index,
  )
  if (taken === undefined) return
  throw new CliError({
    status: 2,
    what: 'The name is taken. Nothing was written.',
    cause: `${taken} is a name that the file imports.`,
    remedy: 'Choose another name.',
  })
}
