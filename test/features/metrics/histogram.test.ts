import { expect, it } from 'vitest'
import { Histogram, histogramText } from '../../../src/features/metrics/exposition.js'

it('a bucket of a histogram includes its upper bound', () => {
  const bounds = new Float64Array([1, 5])
  const series = new Histogram('', bounds)
  for (const value of [1, 1.5, 5, 5.5]) series.observe(value)
  const text = histogramText({ name: 'time', help: '', bounds } as never, series, {
    isOpen: false,
  } as never)
  expect(text.match(/(?<=le=")[^"]+"} \d+/g)).toEqual(['1"} 1', '5"} 3', '+Inf"} 4'])
})
