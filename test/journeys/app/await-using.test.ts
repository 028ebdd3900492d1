import { App } from 'blazon'
import { expect, it } from 'vitest'

it('`await using` closes an application at the end of its block', async () => {
  const events: string[] = []
  class Pool {
    onClose() {
      events.push('closed')
    }
  }
  {
    await using app = await App.create({ providers: [Pool], logger: false })
    expect(app.get(Pool)).toBeInstanceOf(Pool)
    events.push('used')
  }
  expect(events).toEqual(['used', 'closed'])
})
