/** Lets one user after the other use something, in the order in which they ask. */
export class Turns {
  #last: Promise<void> = Promise.resolve()

  /** Waits for a turn. Call the returned function at its end. */
  async take(): Promise<() => void> {
    const before = this.#last
    let end = () => {}
    this.#last = new Promise((resolve) => {
      end = resolve
    })
    await before
    return end
  }
}
