/** No owner can be selected. `message` is a sentence for the operator. */
export class NoSuchOwner extends Error {
  override readonly name = 'NoSuchOwner';
}
