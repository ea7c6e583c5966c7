/** Buttons that copy the text beside them. */

const MILLISECONDS_OF_THANKS = 1500;

document.addEventListener("click", async (click) => {
  const button = click.target.closest("[data-copy]");
  if (!button) return;
  const source = button.parentElement.querySelector("code, pre");
  const isCopied = await copy(source);
  button.textContent = isCopied ? "Copied" : "Press Ctrl-C";
  setTimeout(() => (button.textContent = "Copy"), MILLISECONDS_OF_THANKS);
});

// Over plain HTTP a browser hides its clipboard from pages of other machines: then the text is
// selected, and the person copies it.
async function copy(source) {
  try {
    await navigator.clipboard.writeText(source.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(source);
    return false;
  }
}
