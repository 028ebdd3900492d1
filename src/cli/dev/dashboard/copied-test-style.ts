import { folderOf, readProject } from '../../add/project-files.js'
import { testStyle } from '../../add/project-style.js'
import { testSetup } from '../../add/test-setup.js'
import { CliError } from '../../cli-error.js'
import type { CopiedTestStyle } from './test-text.js'

/** Reads how the tests of a project make its application. `undefined` if the project cannot be read. */
export function copiedTestStyle(cwd: string): CopiedTestStyle | undefined {
  try {
    const project = readProject(cwd)
    const [first] = project.tests
    const folder = first === undefined ? 'test' : folderOf(first.path)
    const setup = testSetup(project, `${folder}/copied.test.ts`) ?? null
    return { setup, runner: testStyle(project).runner }
  } catch (error) {
    if (error instanceof CliError) return undefined
    throw error
  }
}
