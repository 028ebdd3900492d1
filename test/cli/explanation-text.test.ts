import { describe, expect, it } from 'vitest'
import type { RouteExplanation } from '../../src/app/explain/explanation.js'
import { explanationText } from '../../src/cli/explanation-text.js'
import { ORDERS_ROUTE } from './explained-app.js'

const route = ORDERS_ROUTE as unknown as RouteExplanation

const linesOf = (columns?: number) => explanationText(route, columns).split('\n')
const words = (lines: readonly string[]) => lines.join(' ').split(/\s+/)

/** The lines of a section without its title, without the indent of the section. */
function sectionOf(lines: readonly string[], title: string): string[] {
  const start = lines.indexOf(title) + 1
  return lines.slice(start, lines.indexOf('', start)).map((line) => line.slice(2))
}

describe('the text of an explanation', () => {
  it.each([120, 80, 60])('fits a terminal of %i columns, and loses no word', (columns) => {
    const lines = linesOf(columns)
    const texts = ['Before the route', 'Steps', 'Options', 'Responses'].flatMap((title) =>
      sectionOf(lines, title),
    )
    expect(texts.length).toBeGreaterThan(10)
    for (const line of texts) expect(line.length).toBeLessThanOrEqual(columns - 2)
    expect(words(lines)).toEqual(words(linesOf()))
  })

  it('is broken between words, and continues under the text and not under the name', () => {
    const lines = sectionOf(linesOf(60), 'Steps')
    const width = Math.max(...route.steps.map(({ name }) => name.length))
    const further = lines.filter((line) => line.startsWith(' '))
    expect(further.length).toBeGreaterThan(0)
    for (const line of further) expect(line.search(/\S/)).toBe(width + 2)
    expect(linesOf(60).length).toBeGreaterThan(linesOf(120).length)
  })

  it('keeps 24 columns for texts in a terminal that is narrower than the names', () => {
    for (const columns of [1, 10, 30]) expect(linesOf(columns)).toEqual(linesOf(0))
    const width = Math.max(...route.steps.map(({ name }) => name.length))
    const texts = sectionOf(linesOf(1), 'Steps').map((line) => line.slice(width + 2))
    for (const text of texts) if (text.includes(' ')) expect(text.length).toBeLessThanOrEqual(24)
    expect(Math.max(...texts.map(({ length }) => length))).toBeGreaterThan(12)
  })

  it('keeps a word whole that is longer than the room', () => {
    const long = 'x'.repeat(100)
    const own: RouteExplanation = {
      ...route,
      responses: [{ status: '200', description: `The ${long} order`, headers: [] }],
    }
    const lines = explanationText(own, 40).split('\n')
    expect(sectionOf(lines, 'Responses')).toEqual(['200  The', `     ${long}`, '     order'])
  })

  it('is not broken without a terminal', () => {
    const steps = sectionOf(linesOf(), 'Steps').filter((line) => !line.startsWith(' '))
    expect(steps).toHaveLength(route.steps.length)
  })
})
