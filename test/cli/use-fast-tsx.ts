import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../root.js'
import type { Project } from './project.js'

/**
 * Gives a project a stand-in of tsx, with which a program takes half as much of the processor: tsx also reads what is JavaScript. For
 * tests in which TypeScript is only the language of the application.
 */
export function useFastTsx(project: Project): Project {
  rmSync(project.path('node_modules/tsx'), { force: true })
  project.install('tsx', join(root, 'test/cli/tsx-stand-in'))
  return project
}
