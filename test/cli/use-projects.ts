import { afterAll } from 'vitest'
import { Project } from './project.js'

/** Returns a function that makes projects, which are removed after the tests of the file. */
export function useProjects(): (packages?: readonly string[]) => Project {
  const made: Project[] = []
  afterAll(() => {
    for (const each of made) each.remove()
  })
  return (packages) => {
    const project = new Project(packages)
    made.push(project)
    return project
  }
}
