import React from 'react';

interface Props {
  label: string;
  onPress?: () => void;
}

/** A button. */
export const Button: React.FC<Props> = ({ label, onPress }) => {
  const handle = React.useCallback(() => onPress?.(), [onPress]);
  const render = () => <span>{label}</span>;
  return (
    <button onClick={handle}>
      {render()}
      {[1, 2].map((n) => <i key={n}>{n}</i>)}
    </button>
  );
};

export function Panel<T>({ items }: { items: T[] }): JSX.Element {
  function row(item: T) {
    return <li>{String(item)}</li>;
  }
  return <ul>{items.map(row)}</ul>;
}

export const Memo = React.memo(function Inner(props: Props) {
  return <Button {...props} />;
});

export class Legacy extends React.Component<Props> {
  state = { open: false };

  toggle = () => this.setState({ open: !this.state.open });

  render() {
    return <div onClick={this.toggle}>{this.props.label}</div>;
  }
}

export default Button;
