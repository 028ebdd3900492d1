import { expect, it } from 'vitest'
import { blocksOf, read } from './markdown.js'

const PAGE = 'docs/jobs.md'

/** The lines of a program that its reader writes: between the imports and the application of the test. */
function linesUnder(heading: string): string[] {
  const line = read(PAGE).split('\n').indexOf(heading)
  const text = blocksOf(PAGE).find((block) => block.line > line)?.text ?? ''
  const [code = ''] = text.split(/^const app = /m)
  return code.split('\n').filter((each) => each !== '' && !each.startsWith('import '))
}

// test/docs/snippets.test.ts runs both programs, and compares what they print.
it.each(['## A reminder', '## A mail after the commit'])(
  'the program under "%s" has at most 20 lines',
  (heading) => {
    const lines = linesUnder(heading)
    expect(lines.length).toBeGreaterThan(9)
    expect(lines.length).toBeLessThanOrEqual(20)
  },
)
