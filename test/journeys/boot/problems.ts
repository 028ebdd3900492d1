import type { Class } from 'blazon'
import { expect } from 'vitest'
import { bootProblems, bootWarnings } from '../../support.js'

/** Code and subject of every problem. */
export async function problemsOf(...controllers: Class[]): Promise<[string, string][]> {
  const problems = await bootProblems({ controllers })
  for (const { cause, remedy } of problems) {
    expect(cause).toMatch(/\S.*\.$/)
    expect(remedy).toMatch(/\S.*\.$/)
  }
  return problems.map(({ code, subject }) => [code, subject])
}

/** The codes of all warnings. */
export async function warningsOf(...controllers: Class[]): Promise<string[]> {
  return (await bootWarnings({ controllers })).map(({ code }) => code)
}
