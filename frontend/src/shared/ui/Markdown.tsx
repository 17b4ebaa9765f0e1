// Untrusted Markdown: no HTML, no images, no links that run code.
import ReactMarkdown from "react-markdown";
import classes from "./Markdown.module.css";

const allowed = [
  "p",
  "em",
  "strong",
  "a",
  "ul",
  "ol",
  "li",
  "code",
  "pre",
  "blockquote",
  "br",
  "h3",
  "h4",
  "h5",
];

export function Markdown({ text }: { text: string }) {
  return (
    <div className={classes.text}>
      <ReactMarkdown
        allowedElements={allowed}
        unwrapDisallowed
        skipHtml
        components={{
          a: ({ href, children }) => (
            <a href={href} rel="noopener noreferrer nofollow" className="patina-link">
              {children}
            </a>
          ),
        }}
      >
        {text}
      </ReactMarkdown>
    </div>
  );
}
