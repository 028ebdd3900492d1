import { relative } from 'node:path'
import type { Capsule } from '../../contracts/capsule.js'
import { describedObjects } from '../add/described-objects.js'
import { folderOf, type Project, readProject, specifierOf } from '../add/project-files.js'
import { type CodeStyle, codeStyle, testStyle } from '../add/project-style.js'
import { type TestSetup, testSetup } from '../add/test-setup.js'
import { changeOf, writeChanges } from '../add/write-changes.js'
import { CliError } from '../cli-error.js'
import { outputPath } from '../output-path.js'
import type { Streams } from '../streams.js'
import { replayTest } from './replay-test.js'

/** Where and how the test of a capsule is written. */
export interface WriteConfig {
  /** The path from the working directory; `true` for a file where the tests of the project are. */
  readonly file: string | true
  readonly usesDatabase: boolean
  readonly cwd: string
}

/**
 * Writes the test of a capsule, as the tests of the project are written.
 *
 * @throws CliError if the project does not show how a test makes its application, or if the file exists.
 */
export function writeReplayTest(
  capsule: Capsule,
  { file, usesDatabase, cwd }: WriteConfig,
  streams: Streams,
): void {
  const project = readProject(cwd)
  const { tests, sources, root } = project
  const { runner, pathOf } = testStyle(project)
  const path =
    file === true
      ? pathOf(`${appFolder(project)}/${nameOf(capsule)}.ts`)
      : relative(root, outputPath(file, '--write', cwd)).replaceAll('\\', '/')
  const style = codeStyle(tests.length > 0 ? tests : sources)
  const setup = testSetup(project, path) ?? plainSetup(project, path, style)
  const text = replayTest(capsule, { setup, style, runner, usesDatabase })
  writeChanges([changeOf({ path, text }, root)], { root, dryRun: false, streams })
}

function appFolder({ sources }: Project): string {
  const [app] = describedObjects(sources, 'app')
  return app === undefined ? 'src' : folderOf(app.file.path)
}

/** `replay-get-orders-id-a1b2c3` */
function nameOf({ id, record: { route, method, url } }: Capsule): string {
  const what = `${method} ${route?.path ?? url.split('?', 1)[0]}`
  const words = what
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
  return ['replay', ...words, id.slice(-6)].join('-').slice(-100)
}

const EXPORTED = /export\s+const\s+([\w$]+)\s*(?::\s*AppOptions\s*)?=[^=]*$/

/** Without a test to follow: the exported options of the application. */
function plainSetup({ sources }: Project, path: string, { extension }: CodeStyle): TestSetup {
  for (const { file, list } of describedObjects(sources, 'app')) {
    const before = file.mask.slice(0, list.open).replace(/\(\s*$/, '')
    const name = EXPORTED.exec(before.slice(before.lastIndexOf('export')))?.[1]
    if (name === undefined || /\b(?:new\s+App|App\s*\.\s*create)\s*$/.test(before)) continue
    const from = specifierOf(path, file.path, extension)
    return { properties: [`...${name}`], imports: { [name]: from }, constants: [] }
  }
  throw new CliError({
    status: 2,
    what: 'No test was written.',
    cause:
      'No test of the project makes the application from its options, and no module exports them.',
    remedy:
      'Export the options, `export const options = defineAppOptions({ … })`, and write one test with `TestApp.create({ ...options })`.',
  })
}
